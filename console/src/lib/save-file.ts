/** Saves a file that was loaded with the session as a browser download: a plain link would lack the session. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // the download has begun by then
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
