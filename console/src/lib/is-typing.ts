/** the field that was typed into last, until something was done on purpose */
let field: HTMLElement | undefined

const ON_PURPOSE = new Set(['Enter', 'Escape', 'Tab'])

document.addEventListener('pointerdown', () => leaveField(), true)
document.addEventListener(
  'keydown',
  (event) => {
    if (ON_PURPOSE.has(event.key)) leaveField()
    else field = fieldOf(event) ?? field
  },
  true,
)

/**
 * Tells whether a key is typed into a field, and no command. That also holds when the field disappears while the user types: the rest of a
 * sentence is no command.
 */
export function isTyping(event: KeyboardEvent): boolean {
  return fieldOf(event) !== undefined || field?.isConnected === false
}

function leaveField(): void {
  field = undefined
}

/** The editor's field is in a shadow root, so that the event names its host. */
function fieldOf(event: KeyboardEvent): HTMLElement | undefined {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return undefined
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ? target : undefined
}
