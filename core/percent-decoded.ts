/** The text that a percent-encoded one stands for; what is encoded wrongly stands for itself. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
