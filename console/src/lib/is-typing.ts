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
 * What is typed into a field is text and no command. That holds on when the field disappears while somebody types: nobody
 * has meant the rest of a sentence as commands.
 */
export function isTyping(event: KeyboardEvent): boolean {
  return fieldOf(event) !== undefined || field?.isConnected === false
}

function leaveField(): void {
  field = undefined
}

/** The editor's field stands in a tree of its own, so that the event names its host. */
function fieldOf(event: KeyboardEvent): HTMLElement | undefined {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return undefined
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ? target : undefined
}
