import type { CST } from 'yaml'

/** Whether YAML nests deeper than `limit`. Measured on the token tree, without recursion: composing tens of thousands of levels ends the process. */
export function deeperThan(root: CST.Token, limit: number): boolean {
  const open: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, depth } = next
    if (depth > limit) return true
    if (token.type === 'document' && token.value) open.push({ token: token.value, depth })
    if ('items' in token) {
      for (const { key, value } of token.items) {
        if (key) open.push({ token: key, depth: depth + 1 })
        if (value) open.push({ token: value, depth: depth + 1 })
      }
    }
  }
  return false
}
