import { Link } from '@tanstack/react-router'
import { cn } from '../lib/cn.ts'

interface Props<Part extends string> {
  to: '/admin' | '/triggers'
  label: string
  parts: readonly { part: Part; name: string }[]
  current: Part
}

/** Where they do not all fit, the current one is in view. */
const show = (link: HTMLAnchorElement | null) => link?.scrollIntoView({ block: 'nearest', inline: 'center' })

/** The parts of a page as tabs, each with an address of its own. */
export function PartLinks<Part extends string>({ to, label, parts, current }: Props<Part>) {
  return (
    <nav aria-label={label} className="mb-5 flex gap-1 overflow-x-auto border-b text-sm">
      {parts.map(({ part, name }) => (
        <Link
          key={part}
          ref={part === current ? show : null}
          to={to}
          search={{ part }}
          aria-current={part === current ? 'page' : undefined}
          className={cn(
            '-mb-px flex min-h-9 items-center border-b-2 px-3 whitespace-nowrap touch:min-h-11',
            part === current
              ? 'border-primary font-medium'
              : 'border-transparent text-muted-foreground hover:text-foreground',
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
