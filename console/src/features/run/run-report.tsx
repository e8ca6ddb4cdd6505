import { useQuery } from '@tanstack/react-query'
import { Markdown } from '../../components/markdown.tsx'
import { Failed, Loading } from '../../components/states.tsx'
import { STRINGS } from '../../strings.ts'
import { reportQuery } from './api.ts'

const words = STRINGS.run

/** The report of a run. A chunk of its own, since most pages need no Markdown. */
export default function RunReport({ id, digest }: { id: string; digest: string }) {
  const { data, error, isPending, refetch } = useQuery(reportQuery(id, digest))
  if (isPending) return <Loading />
  if (data === undefined) return <Failed error={error} again={() => void refetch()} />
  return (
    <section aria-label={words.report} className="mt-4 max-w-3xl break-words rounded border p-4">
      <h3 className="text-sm font-semibold text-muted-foreground">{words.report}</h3>
      <Markdown text={data} />
    </section>
  )
}
