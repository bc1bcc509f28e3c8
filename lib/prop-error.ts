/** Thrown by the constructs for a prop that cannot work; the message names the prop and the fix. */
export class PropError extends Error {
  constructor(prop: string, problem: string, fix: string) {
    super(`Steadyhook: ${prop} ${problem}. ${fix}.`);
    this.name = "PropError";
  }
}
