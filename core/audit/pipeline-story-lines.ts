import type { PipelineAct, PipelineRunStory, PipelineStory } from './pipeline-story.ts'
import { storyLines } from './story-lines.ts'

/** The story of a pipeline, and below each step the story of each of its runs. */
export function pipelineStoryLines(story: PipelineStory): string[] {
  const { pipeline_id, name, bundle, bundle_digest, environment, cap_usd, refused, not_started } = story
  return [
    line('pipeline', `${pipeline_id}: ${name} of ${bundle} (${bundle_digest}) in ${environment}`),
    line('asked', asked(story)),
    ...story.acts.map(act),
    ...story.runs.flatMap(runLines),
    ...not_started.map((run) => line('refused', `the start of ${run}, which has no record of its own`)),
    ...(refused === 0 ? [] : [line('refused', `${refused} answers, claims or links in all`)]),
    line('cost', `${story.cost_usd} USD of ${cap_usd} in all`),
    line('ended', story.ended === null ? 'not yet' : `${story.ended.status}, ${story.ended.at}`),
    line('approved', verdict(story)),
  ]
}

function line(title: string, text: string): string {
  return `${title.padEnd(10)}${text}`
}

function asked({ requested_by, auth, channel, human_root, at }: PipelineStory): string {
  return `by ${requested_by} (${auth}, ${channel}) for ${human_root ?? 'nobody who is known'}, ${at}`
}

function act({ act: what, step, by, auth, channel, at, note }: PipelineAct): string {
  const said = note === null ? '' : `: ${note}`
  return line(what, `${step === null ? '' : `${step} `}by ${by} (${channel}, ${auth}), ${at}${said}`)
}

function runLines({ step, role, story }: PipelineRunStory): string[] {
  return [
    line('step', `${step}${role === 'compensation' ? ', compensation' : ''}`),
    ...storyLines(story).map((each) => `  ${each}`),
  ]
}

function verdict({ as_approved, runs }: PipelineStory): string {
  if (!as_approved) return 'NO: something ran, or was approved, otherwise than it had to be'
  const proved = runs.some(({ story }) => story.effects.some((effect) => effect.as_approved === true))
  return proved ? 'what was approved is what ran, in every run' : 'nothing ran that had to be approved'
}
