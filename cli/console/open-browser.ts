import { spawn } from "node:child_process";

const commands: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  // The empty text is the window's title, which `start` takes first.
  win32: ["cmd", "/c", "start", ""],
};

/** Opens a URL in the user's browser where there is one; where there is none, the URL has been printed. */
export function openBrowser(url: string): void {
  const [command, ...args] = commands[process.platform] ?? ["xdg-open"];
  const child = spawn(command, [...args, url], { detached: true, stdio: "ignore" });
  child.on("error", () => {});
  child.unref();
}
