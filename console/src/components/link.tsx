import { Link } from '@tanstack/react-router'
import { nameOfRef, targetOfRef } from '../lib/target-of-ref.ts'

/** Leads to the page of a run. */
export function RunLink({ id }: { id: string }) {
  return (
    <Link to="/runs/$id" params={{ id }} className="break-all font-mono text-sm link">
      {id}
    </Link>
  )
}

/** Leads to the page of what a path of the API answers; the path itself where no page shows it. */
export function RefLink({ reference, name }: { reference: string; name?: string }) {
  const place = targetOfRef(reference)
  if (place === undefined) return <code className="break-all text-sm">{reference}</code>
  return (
    <Link {...place} className="break-all link">
      {name ?? nameOfRef(reference)}
    </Link>
  )
}
