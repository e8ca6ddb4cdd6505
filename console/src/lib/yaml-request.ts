/** A document as it was written, in place of what the client would make of it. */
export function yamlRequest(text: string) {
  return {
    body: text as never,
    bodySerializer: (body: unknown) => String(body),
    headers: { 'content-type': 'text/yaml' },
  } as const
}
