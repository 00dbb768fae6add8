// Starts the page: each module looks after one thing.
import { startActions } from "./actions.js";
import { startComposers } from "./composer.js";
import { showModal } from "./dialogs.js";
import { startLive } from "./live.js";
import { startShell } from "./shell.js";

startShell();
startComposers();
startActions();
showModal();
startLive();
