// `npm start`: builds when something has changed, then runs the local relay in this very process.
import { hashOfInputs, isBuiltFrom } from "./build-stamp.js";

if (!(await isBuiltFrom(await hashOfInputs()))) await import("./build.js");
await import("../dist/local/main.mjs");

// npm hands a signal to its shell, which dies without passing it on: whoever ended npm meant the relay.
const shell = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === shell) return;
  clearInterval(watch);
  process.kill(process.pid, "SIGTERM");
}, 500);
watch.unref();
