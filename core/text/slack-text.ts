const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Escapes foreign text for a Slack text object: the three control characters become entities, so that no mention, broadcast or link can be
 * written. At most `max` characters after escaping; an entity is never cut.
 */
export function slackText(text: string, max: number): string {
  let escaped = ''
  let kept = 0
  for (const character of text) {
    escaped += ENTITIES[character] ?? character
    if (escaped.length <= max - 1) kept = escaped.length
    else if (escaped.length > max) return `${escaped.slice(0, kept)}…`
  }
  return escaped
}
