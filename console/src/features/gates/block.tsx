/** Text to the letter, whatever it does to the direction of writing, and never wider than the page. */
export function Block({ text }: { text: string }) {
  return (
    <pre
      dir="ltr"
      className="whitespace-pre-wrap rounded bg-sunk p-2 text-sm [overflow-wrap:anywhere] [unicode-bidi:isolate]"
    >
      {text}
    </pre>
  )
}
