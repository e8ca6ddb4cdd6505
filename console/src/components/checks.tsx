import { useId } from 'react'

interface Props<Choice extends string> {
  legend: string
  choices: readonly Choice[]
  chosen: readonly string[]
  /** what a choice is called, where that is not the word itself */
  nameOf?: (choice: Choice) => string
  /** a sentence about each; they are then one below the other */
  about?: Readonly<Record<Choice, string>>
  onChange: (chosen: Choice[]) => void
}

/** Any of several words. */
export function Checks<Choice extends string>({ legend, choices, chosen, nameOf, about, onChange }: Props<Choice>) {
  const id = useId()
  return (
    <fieldset className="min-w-0 text-sm">
      <legend className="font-medium">{legend}</legend>
      <div className={about === undefined ? 'flex flex-wrap gap-x-4 gap-y-1' : 'mt-1 space-y-2'}>
        {choices.map((choice) => (
          <div key={choice}>
            <label className="flex items-center gap-2 wrap-anywhere max-sm:min-h-11">
              <input
                type="checkbox"
                checked={chosen.includes(choice)}
                aria-describedby={about && `${id}-${choice}`}
                onChange={({ target }) =>
                  onChange(choices.filter((each) => (each === choice ? target.checked : chosen.includes(each))))
                }
              />
              {nameOf?.(choice) ?? choice}
            </label>
            {about !== undefined && (
              <p id={`${id}-${choice}`} className="pl-6 text-muted-foreground">
                {about[choice]}
              </p>
            )}
          </div>
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
