import type { ReactNode } from 'react'

interface Props {
  title: ReactNode
  /** beside the title: a count, a status */
  aside?: ReactNode
  /** below the title, in a sentence */
  about?: ReactNode
  actions?: ReactNode
}

/** The head of a page: what it is, how much of it there is, and what one can do here. */
export function PageHeader({ title, aside, about, actions }: Props) {
  return (
    <header className="mb-3 flex sm:mb-5 flex-wrap items-start gap-x-4 gap-y-3">
      <div className="min-w-0 flex-1 wrap-anywhere max-sm:basis-full">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 className="min-w-0 text-xl font-semibold sm:text-2xl">{title}</h1>
          {aside}
        </div>
        {about !== undefined && <div className="mt-1 text-sm text-muted-foreground">{about}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2 print:hidden">{actions}</div>}
    </header>
  )
}

interface CountProps {
  /** the first page of the list */
  of: { total: string | undefined; at_least: string | undefined } | undefined
  words: { count: (count: string) => string; at_least: (count: string) => string }
}

/** How many entries a list has, beside its title. */
export function Count({ of: { total, at_least } = NOT_LOADED, words }: CountProps) {
  return (
    <span className="text-sm text-muted-foreground tabular-nums">
      {total !== undefined && words.count(total)}
      {at_least !== undefined && words.at_least(at_least)}
    </span>
  )
}

const NOT_LOADED = { total: undefined, at_least: undefined }
