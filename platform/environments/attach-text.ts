import { parseDocument } from 'yaml'

/** The text of an environment with another attach-list, its comments kept; one that says only that where there is no text. */
export function attachText(text: string | undefined, name: string, policies: string[]): string {
  const document = parseDocument(text ?? `name: ${name}\n`)
  document.set('policies', document.createNode(policies, { flow: true }))
  return document.toString()
}
