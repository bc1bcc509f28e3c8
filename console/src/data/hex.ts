/** Bytes as `offset  hex  text`, 16 a line: nothing of them is interpreted. */
export function hexDump(bytes: Uint8Array, lineBytes = 16): string {
  const lines: string[] = [];
  for (let offset = 0; offset < bytes.length; offset += lineBytes) {
    const part = [...bytes.subarray(offset, offset + lineBytes)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".")).join("");
    lines.push(`${offset.toString(16).padStart(6, "0")}  ${hex.padEnd(lineBytes * 3 - 1)}  ${text}`);
  }
  return lines.join("\n");
}
