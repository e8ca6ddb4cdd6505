/** The header `Content-Disposition` of a file that is saved under a name. */
export function attachmentNamed(name: string): string {
  const fallback = name.replace(/[^\w.-]/g, '_')
  return `attachment; filename="${fallback}"; filename*=UTF-8''${encodeRfc5987(name)}`
}

/** Percent-encoding of header parameters (RFC 5987). */
function encodeRfc5987(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
