import { usePhone } from '../../lib/use-media.ts'
import { effectText } from '../../strings/policies.ts'
import { STRINGS } from '../../strings.ts'
import type { PendingApproval } from './api.ts'
import { Facts, Fold } from './block.tsx'

const words = STRINGS.gates.details

interface PolicyVote {
  effect?: string
  matched?: { name: string; layer: string; effect: string; reason: string }[]
}

/** The reasons of a gate, and the vote of each of the four authorities. */
export function Authorities({ approval }: { approval: PendingApproval }) {
  const { authorities, because, broken_policies } = approval
  const { policy, ...others } = authorities
  const { effect = '', matched = [] } = (policy ?? {}) as PolicyVote
  const isPhone = usePhone()
  const tags: Readonly<Record<string, string>> = words.tags
  const votes = (
    <Facts
      rows={[
        ...(['operator', 'profile', 'pack'] as const).map((name): [string, string] => [
          words.authorities[name],
          others[name] === true ? words.asks : words.silent,
        ]),
        [
          words.authorities.policy,
          <div key="policy">
            {effectText(effect)}
            <ul>
              {matched.map((each) => (
                <li key={`${each.layer} ${each.name} ${each.effect}`}>
                  <bdi>{each.name}</bdi> ({each.layer}, {effectText(each.effect)}) <bdi>{each.reason}</bdi>
                </li>
              ))}
            </ul>
          </div>,
        ],
        [words.broken, broken_policies.join(', ')],
      ]}
    />
  )
  return (
    <>
      <ul className="mb-2 list-disc pl-5">
        {because.map((each) => (
          <li key={each} className="break-words">
            <bdi>{tags[each] ?? each}</bdi>
          </li>
        ))}
      </ul>
      {isPhone ? <Fold summary={words.each_authority}>{votes}</Fold> : votes}
    </>
  )
}
