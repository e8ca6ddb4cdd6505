import { parseDocument } from 'yaml'

/** The text of an environment or a profile with other values of these keys, its comments kept; undefined takes a key out. */
export function settingText(text: string | undefined, name: string, keys: Record<string, unknown>): string {
  const document = parseDocument(text ?? `name: ${name}\n`)
  for (const [key, value] of Object.entries(keys)) {
    if (value === undefined) document.delete(key)
    else document.set(key, document.createNode(value, { flow: Array.isArray(value) }))
  }
  return document.toString()
}
