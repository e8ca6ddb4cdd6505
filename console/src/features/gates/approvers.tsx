import { answeredBy } from '../../../../client/gate-text.ts'
import { Time } from '../../components/facts.tsx'
import { STRINGS } from '../../strings.ts'
import type { PendingApproval } from './api.ts'
import { Facts } from './block.tsx'

const words = STRINGS.gates.details
type Person = NonNullable<PendingApproval['requester']>

const nameOf = ({ display, email }: Person) =>
  email === undefined || email === display ? display : `${display} (${email})`

/** The requester, the votes, and the missing ones. */
export function Approvers({ approval }: { approval: PendingApproval }) {
  const { requester, on_behalf_of, shaped_by = [], decisions, missing, required } = approval
  return (
    <>
      <Facts
        rows={[
          [words.missing, missing.text],
          [words.requester, requester && <bdi>{nameOf(requester)}</bdi>],
          [words.on_behalf_of, on_behalf_of && <bdi>{nameOf(on_behalf_of)}</bdi>],
          [words.shaped_by, shaped_by.length > 0 && <ShapedBy all={shaped_by} />],
        ]}
      />
      {required.prevent_self && <p className="text-muted-foreground">{words.prevent_self}</p>}
      {decisions.length === 0 && <p className="text-muted-foreground">{words.nobody}</p>}
      <ul>
        {decisions.map(({ by, person, via, decision, counts, channel, at, note }) => (
          <li key={`${by} ${at}`} className="break-words">
            <bdi>{person === undefined ? answeredBy({ by }) : nameOf(person)}</bdi>: {STRINGS.gates.words[decision]},{' '}
            {channel}, <Time at={at} />
            {via !== undefined && (
              <>
                {' · '}
                <bdi>{words.via(nameOf(via))}</bdi>
              </>
            )}
            {!counts && <> · {words.counts_not}</>}
            {note !== undefined && (
              <p className="pl-4 text-muted-foreground">
                <bdi>{note}</bdi>
              </p>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}

function ShapedBy({ all }: { all: NonNullable<PendingApproval['shaped_by']> }) {
  return (
    <ul>
      {all.map(({ id, person, text }) => (
        <li key={`${id} ${text}`} className="break-words">
          <bdi>{person === undefined ? id : nameOf(person)}</bdi> <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  )
}
