import { Link } from '@tanstack/react-router'

/** Leads to the page of a run. */
export function RunLink({ id }: { id: string }) {
  return (
    <Link to="/runs/$id" params={{ id }} className="break-all font-mono text-sm text-mark underline">
      {id}
    </Link>
  )
}
