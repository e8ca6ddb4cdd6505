const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Text of others inside a Slack text object: the three control characters become entities, so that no mention, broadcast or
 * link can be written. At most `max` characters after escaping; an entity is never cut.
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

/** A block of code that its content cannot close: a backtick after a backtick is shown as its escape. */
export function slackCode(text: string, max: number): string {
  const fence = '```'
  const unbroken = text.replace(/(?<=`)`/g, '\\u{60}')
  const room = max - 2 * fence.length - 2
  const fits = slackText(unbroken, Number.POSITIVE_INFINITY).length <= room
  // an ellipsis alone could be a part of it
  const said = fits ? '' : ' (cut)'
  return `${fence}\n${slackText(unbroken, room - said.length)}${said}\n${fence}`
}
