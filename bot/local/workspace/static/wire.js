// Talking to the workspace: every deed is a POST with JSON, and every failure becomes a notice.
const { as, channel, thread } = document.body.dataset;
const WORDS = {
  dispatch_failed: "The app is not connected, so nothing happened.",
  operation_timeout: "The app did not answer in time.",
  not_in_channel: "You are not in this channel.",
  user_not_found: "Nobody here has that name.",
};

export const here = { as, channel, thread };

let hiding;
export function notice(text) {
  const place = document.getElementById("notice");
  place.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => { place.textContent = ""; }, 6000);
}

export async function post(deed, body) {
  let answer = { error: "workspace_gone", response: null };
  try {
    const reply = await fetch(`/act/${deed}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ as, ...body }),
    });
    if (reply.ok) answer = await reply.json();
  } catch {
    notice("The workspace cannot be reached.");
    return answer;
  }
  if (answer.error && answer.error !== "required_fields" && deed !== "send") {
    notice(WORDS[answer.error] || `That did not work: ${answer.error}`);
  }
  if (deed === "send" && WORDS[answer.error] && !answer.error.includes("_failed") && !answer.error.includes("_timeout")) {
    notice(WORDS[answer.error]);
  }
  return answer;
}
