import type { ArtifactFile } from '#services/runs/download-artifact.ts'

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/

/** A stored file as a download: never shown by a browser, never guessed at. */
export function attachment(file: ArtifactFile): Response {
  const fallback = file.name.replace(/[^\w.-]/g, '_')
  return new Response(file.body, {
    headers: {
      'content-type': MEDIA_TYPE.test(file.media_type) ? file.media_type : 'application/octet-stream',
      'content-length': String(file.body.byteLength),
      'content-disposition': `attachment; filename="${fallback}"; filename*=UTF-8''${encodeRfc5987(file.name)}`,
      'x-content-type-options': 'nosniff',
      etag: `"${file.digest}"`,
    },
  })
}

/** Percent-encoding of header parameters (RFC 5987). */
function encodeRfc5987(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
