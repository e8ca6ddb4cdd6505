import { Link } from '@tanstack/react-router'

interface Props<Part extends string> {
  to: '/admin' | '/triggers'
  label: string
  parts: readonly { part: Part; name: string }[]
  current: Part
}

/** The parts of a page, each with an address of its own. */
export function PartLinks<Part extends string>({ to, label, parts, current }: Props<Part>) {
  return (
    <nav aria-label={label} className="mb-4 flex flex-wrap gap-x-4 gap-y-1 border-b border-line pb-2">
      {parts.map(({ part, name }) => (
        <Link
          key={part}
          to={to}
          search={{ part }}
          aria-current={part === current ? 'page' : undefined}
          className={part === current ? 'font-semibold underline underline-offset-4' : 'text-mark hover:underline'}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}
