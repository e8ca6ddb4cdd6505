import { useQuery } from '@tanstack/react-query'
import Markdown, { type Components } from 'react-markdown'
import gfm from 'remark-gfm'
import { Failed, Loading } from '../../components/states.tsx'
import { STRINGS } from '../../strings.ts'
import { reportQuery } from './api.ts'

const words = STRINGS.run

/** Nothing of a report is fetched, and none of it is markup: what a step has read may say anything. */
const PARTS: Components = {
  img: ({ alt, src }) => <span className="text-soft">{words.image([alt, src].filter(Boolean).join(', '))}</span>,
  // an address that would run is taken away before it comes here
  a: ({ href, children }) =>
    href === undefined || href === '' ? (
      children
    ) : (
      <a href={href} target="_blank" rel="noreferrer noopener" className="break-all text-mark underline">
        {children}
      </a>
    ),
  h1: ({ children }) => <h4 className="mt-3 text-lg font-semibold">{children}</h4>,
  h2: ({ children }) => <h5 className="mt-3 font-semibold">{children}</h5>,
  h3: ({ children }) => <h6 className="mt-2 font-medium">{children}</h6>,
  p: ({ children }) => <p className="my-2">{children}</p>,
  ul: ({ children }) => <ul className="my-2 list-disc pl-6">{children}</ul>,
  ol: ({ children }) => <ol className="my-2 list-decimal pl-6">{children}</ol>,
  table: ({ children }) => (
    <div className="my-2 overflow-x-auto">
      <table className="text-left">{children}</table>
    </div>
  ),
  th: ({ children }) => <th className="border border-line px-2 py-1">{children}</th>,
  td: ({ children }) => <td className="border border-line px-2 py-1 align-top">{children}</td>,
  pre: ({ children }) => <pre className="my-2 whitespace-pre-wrap break-words rounded bg-sunk p-2">{children}</pre>,
}

/** The report of a run. A chunk of its own, since most pages need no Markdown. */
export default function RunReport({ id, digest }: { id: string; digest: string }) {
  const { data, error, isPending, refetch } = useQuery(reportQuery(id, digest))
  if (isPending) return <Loading />
  if (data === undefined) return <Failed error={error} again={() => void refetch()} />
  return (
    <section aria-label={words.report} className="mt-4 max-w-3xl break-words rounded border border-line p-4">
      <h3 className="text-sm font-semibold text-soft">{words.report}</h3>
      <Markdown remarkPlugins={[gfm]} components={PARTS}>
        {data}
      </Markdown>
    </section>
  )
}
