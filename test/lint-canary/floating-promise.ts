// Left wrong on purpose: a test lints this file and expects the floating promise to be found.
async function deliver(): Promise<void> {}

export function acknowledgeTooEarly(): void {
  deliver();
}
