import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Asked } from '../../components/asked.tsx'
import { Time } from '../../components/facts.tsx'
import { PlainTable } from '../../components/plain-table.tsx'
import { Prose } from '../../components/prose.tsx'
import { Empty } from '../../components/states.tsx'
import { Status } from '../../components/status.tsx'
import { TRIGGERS } from '../../strings/triggers.ts'
import { type SkillStarter, skillsQuery } from './api.ts'

const words = TRIGGERS.skills

/** Skills that start runs: what, when, in whose name, and what came of it last. */
export function SkillsPart() {
  const skills = useQuery(skillsQuery)
  const { columns } = words
  return (
    <>
      <p className="mb-3 max-w-prose text-muted-foreground">{words.intro}</p>
      <Asked query={skills}>
        {(list) =>
          list.length === 0 ? (
            <Empty>{words.empty}</Empty>
          ) : (
            <PlainTable
              label={TRIGGERS.parts.skills}
              columns={[columns.skill, columns.when, columns.starts, columns.account, columns.last]}
              rows={list.map((skill) => ({
                key: skill.id,
                cells: [
                  <span key="skill">
                    {skill.id}
                    <span className="block text-sm text-muted-foreground">
                      <Prose text={skill.description} />
                    </span>
                    <span className="block break-all text-sm text-muted-foreground">{skill.file}</span>
                  </span>,
                  <When key="when" skill={skill} />,
                  <span key="starts">
                    {skill.run}
                    <span className="block text-sm text-muted-foreground">
                      {[skill.environment, skill.profile, skill.dry_run ? words.dry_run : '']
                        .filter(Boolean)
                        .join(', ')}
                    </span>
                  </span>,
                  <span key="account">
                    {skill.account !== undefined && <span className="block break-all">{skill.account}</span>}
                    {skill.schedule !== undefined && words.the_schedule(skill.schedule)}
                  </span>,
                  <Last key="last" skill={skill} />,
                ],
              }))}
            />
          )
        }
      </Asked>
    </>
  )
}

function When({ skill: { on, schedule } }: { skill: SkillStarter }) {
  return (
    <>
      {schedule !== undefined && (
        <Link to="/triggers" search={{ part: 'schedules' }} className="block link">
          {words.by_clock(schedule)}
        </Link>
      )}
      {on.map((topic) => (
        <code key={topic} className="block break-all text-sm">
          {topic}
        </code>
      ))}
    </>
  )
}

function Last({ skill: { last, on } }: { skill: SkillStarter }) {
  if (on.length === 0) return words.at_schedule
  if (last === undefined) return words.never
  return (
    <>
      <Time at={last.at} />
      <span className="block">
        <Status of={last.outcome} /> {last.topic}
      </span>
      {last.reason !== undefined && <span className="block text-sm text-muted-foreground">{last.reason}</span>}
      {last.run_id !== undefined && (
        <Link to="/runs/$id" params={{ id: last.run_id }} className="break-all font-mono text-sm link">
          {last.run_id}
        </Link>
      )}
    </>
  )
}
