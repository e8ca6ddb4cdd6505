import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { DocumentForm } from '../../components/document-form.tsx'
import { Empty } from '../../components/states.tsx'
import { YamlField } from '../../components/yaml-field.tsx'
import { useMe } from '../../lib/use-me.ts'
import { TRIGGERS } from '../../strings/triggers.ts'
import { STRINGS } from '../../strings.ts'
import { deleteRule, type Rule, readRule, rulesQuery, writeRule } from './api.ts'
import { PartLink } from './part-link.tsx'
import { RuleList } from './rule-list.tsx'

const words = TRIGGERS.rules

/** The rules of the console for alerts, patterns and deliveries. */
export function RulesPart({ name, isNew }: { name: string | undefined; isNew: boolean }) {
  const me = useMe()
  const rules = useQuery(rulesQuery)
  if (isNew && me.isAdmin)
    return (
      <>
        <PartLink part="rules">{words.back}</PartLink>
        <RuleForm />
      </>
    )
  return (
    <Asked query={rules}>
      {(list) => {
        if (name === undefined) return <RuleList list={list} mayWrite={me.isAdmin} />
        const rule = list.find((each) => each.name === name)
        return (
          <>
            <PartLink part="rules">{words.back}</PartLink>
            <h3 className="my-2 break-words font-semibold">{name}</h3>
            {rule === undefined ? (
              <Empty>{STRINGS.states.not_found}</Empty>
            ) : me.isAdmin ? (
              <RuleForm key={rule.name} rule={rule} />
            ) : (
              <YamlField
                kind="triggers"
                label={words.label(name)}
                text={rule.document}
                problems={rule.problems}
                readOnly
              />
            )}
          </>
        )
      }}
    </Asked>
  )
}

function RuleForm({ rule }: { rule?: Rule }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const refresh = () => client.invalidateQueries({ queryKey: ['rules'] })
  const go = (named: { name?: string } = {}) => navigate({ to: '/triggers', search: { part: 'rules', ...named } })
  return (
    <DocumentForm
      kind="triggers"
      label={rule === undefined ? words.new_label : words.label(rule.name)}
      name={rule?.name}
      start={rule === undefined ? { text: words.start } : { text: rule.document, etag: rule.etag }}
      problems={rule?.problems ?? []}
      read={async () => {
        const { document, etag } = await readRule(rule?.name ?? '')
        return { text: document, etag }
      }}
      write={({ text, etag }) => writeRule(rule?.name, text, etag)}
      onSaved={async (saved) => {
        await refresh()
        if (rule === undefined) await go({ name: saved.name })
      }}
      remove={
        rule &&
        (async () => {
          await deleteRule(rule.name, rule.etag)
          await go()
          await refresh()
        })
      }
    />
  )
}
