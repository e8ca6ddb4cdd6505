import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { cn } from '../lib/cn.ts'

interface Props<Part extends string> {
  label: string
  parts: readonly { part: Part; name: string; count?: number | undefined }[]
  current: Part
}

/** The parts of a page as tabs, each with an address of its own. */
export function PartLinks<Part extends string>({ label, parts, current }: Props<Part>) {
  const row = useRef<HTMLElement>(null)
  const shown = useRef<HTMLAnchorElement>(null)
  const widths = parts.map(({ count }) => count).join()
  // where they do not all fit, the current one is in view
  // biome-ignore lint/correctness/useExhaustiveDependencies: another link, or a count, moves it
  useEffect(() => {
    const { current: link } = shown
    if (link !== null)
      row.current?.scrollTo({ left: link.offsetLeft - (row.current.clientWidth - link.offsetWidth) / 2 })
  }, [current, widths])
  return (
    <nav
      ref={row}
      aria-label={label}
      className="relative mb-3 sm:mb-5 flex sm:gap-1 overflow-x-auto border-b text-sm print:hidden"
    >
      {parts.map(({ part, name, count }) => (
        <Link
          key={part}
          ref={part === current ? shown : null}
          to="."
          search={{ part }}
          aria-current={part === current ? 'page' : undefined}
          className={cn(
            '-mb-px flex min-h-9 items-center border-b-2 px-2.5 sm:px-3 whitespace-nowrap touch:min-h-11',
            part === current
              ? 'border-primary font-medium'
              : 'border-transparent text-muted-foreground hover:text-foreground',
          )}
        >
          {name}{' '}
          {count !== undefined && <span className="ml-1.5 text-xs text-muted-foreground tabular-nums">{count}</span>}
        </Link>
      ))}
    </nav>
  )
}
