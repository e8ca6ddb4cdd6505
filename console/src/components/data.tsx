/** Data as it stands on record. */
export function Data({ value }: { value: unknown }) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard
      tabIndex={0}
      className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded bg-sunk p-2 text-sm print:max-h-none"
    >
      {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
    </pre>
  )
}
