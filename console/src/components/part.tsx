import type { ReactNode } from 'react'

interface Props {
  id: string
  title: string
  aside?: ReactNode
  className?: string
  children: ReactNode
}

/** A part of a page, with a name of its own in the address. */
export function Part({ id, title, aside, className = '', children }: Props) {
  return (
    <section id={id} aria-labelledby={`${id}-title`} className={`mt-8 scroll-mt-20 ${className}`}>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h2 id={`${id}-title`} className="text-lg font-semibold">
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  )
}
