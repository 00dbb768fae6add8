// Reading what was chosen or typed, in the form that the workspace takes: {block id: {action id: value}}.
export function readControl(wrapper) {
  const { type } = wrapper.dataset;
  if (type === "radio_buttons") return wrapper.querySelector("input:checked")?.value ?? null;
  if (["checkboxes", "multi_static_select", "multi_users_select"].includes(type)) {
    return [...wrapper.querySelectorAll("input:checked")].map((box) => box.value);
  }
  const control = wrapper.querySelector("select, input, textarea");
  if (!control || control.value === "") return null;
  return type === "datetimepicker" ? Math.floor(new Date(control.value).getTime() / 1000) : control.value;
}

export function readForm(root) {
  const values = {};
  for (const wrapper of root.querySelectorAll("[data-field], .control")) {
    const { block, action } = wrapper.dataset;
    (values[block] ??= {})[action] = readControl(wrapper);
  }
  return values;
}

// After an update the same fields keep what was typed into them.
export function keepTyped(from, to) {
  for (const wrapper of to.querySelectorAll("[data-field]")) {
    const { block, action, type } = wrapper.dataset;
    const old = from.querySelector(`[data-field][data-block="${CSS.escape(block)}"][data-action="${CSS.escape(action)}"]`);
    if (!old || old.dataset.type !== type) continue;
    const controls = wrapper.querySelectorAll("select, input, textarea");
    old.querySelectorAll("select, input, textarea").forEach((control, index) => {
      if (!controls[index]) return;
      if (["checkbox", "radio"].includes(control.type)) controls[index].checked = control.checked;
      else controls[index].value = control.value;
    });
  }
}
