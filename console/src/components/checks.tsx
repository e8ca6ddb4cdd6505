interface Props {
  legend: string
  choices: readonly string[]
  chosen: readonly string[]
  /** what a choice is called, where that is not the word itself */
  nameOf?: (choice: string) => string
  onChange: (chosen: string[]) => void
}

/** Any of several words. */
export function Checks({ legend, choices, chosen, nameOf, onChange }: Props) {
  return (
    <fieldset className="text-sm">
      <legend className="font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-x-4 gap-y-1">
        {choices.map((choice) => (
          <label key={choice} className="flex items-center gap-2">
            <input
              type="checkbox"
              checked={chosen.includes(choice)}
              onChange={({ target }) =>
                onChange(choices.filter((each) => (each === choice ? target.checked : chosen.includes(each))))
              }
            />
            {nameOf?.(choice) ?? choice}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

/** An error in the API's own words. */
export function Refusal({ error }: { error: Error | null }) {
  if (error === null) return null
  return (
    <p role="alert" className="my-2 whitespace-pre-wrap break-words rounded-lg border bg-muted p-3 text-destructive">
      {error.message}
    </p>
  )
}
