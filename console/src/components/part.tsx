import { ChevronRight } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { usePhone } from '../lib/use-media.ts'

interface Props {
  id: string
  title: string
  aside?: ReactNode
  className?: string
  /** on a phone it is closed until somebody opens it, or follows a link to it */
  folds?: boolean
  children: ReactNode
}

/** A part of a page, with a name of its own in the address. */
export function Part({ id, title, aside, className = '', folds = false, children }: Props) {
  const isPhone = usePhone()
  const heading = (
    <h2 id={`${id}-title`} className="text-lg font-semibold">
      {title}
    </h2>
  )
  if (folds && isPhone)
    return (
      <Fold id={id} heading={heading} className={className}>
        {aside !== undefined && <div className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">{aside}</div>}
        {children}
      </Fold>
    )
  return (
    <section id={id} aria-labelledby={`${id}-title`} className={`mt-8 scroll-mt-20 ${className}`}>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-4 gap-y-1">
        {heading}
        {aside}
      </div>
      {children}
    </section>
  )
}

interface FoldProps {
  id: string
  heading: ReactNode
  className: string
  children: ReactNode
}

function Fold({ id, heading, className, children }: FoldProps) {
  const [open, setOpen] = useState(() => window.location.hash === `#${id}`)
  useEffect(() => {
    const follow = () => window.location.hash === `#${id}` && setOpen(true)
    window.addEventListener('hashchange', follow)
    return () => window.removeEventListener('hashchange', follow)
  }, [id])
  return (
    <section id={id} aria-labelledby={`${id}-title`} className={`mt-2 scroll-mt-20 border-t ${className}`}>
      <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)} className="group/fold">
        <summary className="flex min-h-11 cursor-pointer list-none items-center gap-2 [&::-webkit-details-marker]:hidden">
          <ChevronRight aria-hidden className="size-4 transition-transform group-open/fold:rotate-90" />
          {heading}
        </summary>
        {open && <div className="mb-4">{children}</div>}
      </details>
    </section>
  )
}
