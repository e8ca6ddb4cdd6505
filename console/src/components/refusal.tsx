/** Why something was not done, in the API's own words. */
export function Refusal({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <p role="alert" className="my-2 whitespace-pre-wrap break-words rounded border border-line bg-sunk p-3 text-bad">
      {error.message}
    </p>
  )
}
