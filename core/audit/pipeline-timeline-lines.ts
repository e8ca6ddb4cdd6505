import type { PipelineAct, PipelineRunTimeline, PipelineTimeline } from './pipeline-timeline.ts'
import { timelineLines } from './timeline-lines.ts'

/** The timeline of a pipeline, and below each step the timeline of each of its runs. */
export function pipelineTimelineLines(timeline: PipelineTimeline): string[] {
  const { pipeline_id, name, bundle, bundle_digest, environment, cap_usd, refused, not_started } = timeline
  return [
    line('pipeline', `${pipeline_id}: ${name} of ${bundle} (${bundle_digest}) in ${environment}`),
    line('asked', asked(timeline)),
    ...timeline.acts.map(act),
    ...timeline.runs.flatMap(runLines),
    ...not_started.map((run) => line('refused', `the start of ${run}, which has no record of its own`)),
    ...(refused === 0 ? [] : [line('refused', `${refused} answers, claims or links in all`)]),
    line('cost', `${timeline.cost_usd} USD of ${cap_usd} in all`),
    line('ended', timeline.ended === null ? 'not yet' : `${timeline.ended.status}, ${timeline.ended.at}`),
    line('approved', verdict(timeline)),
  ]
}

function line(title: string, text: string): string {
  return `${title.padEnd(10)}${text}`
}

function asked({ requested_by, auth, channel, human_root, at }: PipelineTimeline): string {
  return `by ${requested_by} (${auth}, ${channel}) for ${human_root ?? 'nobody who is known'}, ${at}`
}

function act({ act: what, step, by, auth, channel, at, note }: PipelineAct): string {
  const note_text = note === null ? '' : `: ${note}`
  return line(what, `${step === null ? '' : `${step} `}by ${by} (${channel}, ${auth}), ${at}${note_text}`)
}

function runLines({ step, role, story }: PipelineRunTimeline): string[] {
  return [
    line('step', `${step}${role === 'compensation' ? ', compensation' : ''}`),
    ...timelineLines(story).map((each) => `  ${each}`),
  ]
}

function verdict({ as_approved, runs }: PipelineTimeline): string {
  if (!as_approved) return 'NO: something ran, or was approved, otherwise than it had to be'
  const proved = runs.some(({ story }) => story.effects.some((effect) => effect.as_approved === true))
  return proved ? 'what was approved is what ran, in every run' : 'nothing ran that had to be approved'
}
