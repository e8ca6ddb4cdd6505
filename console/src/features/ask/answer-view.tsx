import type { ReactNode } from 'react'
import { RefLink } from '../../components/link.tsx'
import { Markdown } from '../../components/markdown.tsx'
import { ASK as words } from '../../strings/ask.ts'
import { ActionForm } from './action-form.tsx'
import type { Turn } from './api.ts'

const CITED = '#source-'

/** One question with its answer: each sentence links to its sources. */
export function AnswerView({ thread_id, turn }: { thread_id: string; turn: Turn }) {
  const { turn_id, query, answer, grounded, citations, action, cost, tools_used } = turn
  const placeOf = (id: string) => citations.findIndex((each) => each.id === id)
  // `[^t1]` becomes a link of this page alone: an answer has none of its own
  const text = answer.replace(/\[\^([A-Za-z0-9_-]+)\]/g, (whole, id: string) =>
    placeOf(id) < 0 ? whole : ` [${placeOf(id) + 1}](${CITED}${placeOf(id)})`,
  )
  const link = ({ href = '', children }: { href?: string | undefined; children?: ReactNode }) => {
    const cited = href.startsWith(CITED) ? citations[Number(href.slice(CITED.length))] : undefined
    if (cited === undefined) return <>{children}</>
    return (
      <sup>
        <RefLink reference={cited.ref} name={`[${String(children)}]`} />
      </sup>
    )
  }
  return (
    <li className="border-b py-3">
      <p className="break-words font-medium">
        <span className="sr-only">{words.asked}: </span>
        <bdi>{query}</bdi>
      </p>
      <div className="break-words">
        <Markdown text={text} link={link} />
      </div>
      {citations.length > 0 && (
        <>
          <h3 className="text-sm text-muted-foreground">{words.sources}</h3>
          <ol aria-label={words.sources} className="list-decimal pl-6 text-sm">
            {citations.map(({ id, ref }) => (
              <li key={id}>
                <RefLink reference={ref} />
              </li>
            ))}
          </ol>
        </>
      )}
      {action !== null && <ActionForm key={turn_id} action={action} origin={{ thread_id, turn_id }} />}
      <p className="mt-1 text-sm text-muted-foreground">
        {grounded ? words.tools(tools_used.length) : words.ungrounded} {words.cost(cost.usd, cost.cap_usd)}
      </p>
    </li>
  )
}
