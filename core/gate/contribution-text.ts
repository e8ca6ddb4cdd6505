import type { Contributor } from './contributors.ts'

/** Formats a contribution to a run as the rest of a sentence: `wrote the config preset nightly`. */
export function contributionText({ did, what }: Pick<Contributor, 'did' | 'what'>): string {
  const named = what === undefined ? '' : ` ${what}`
  switch (did) {
    case 'started':
      return 'started the run'
    case 'asked':
      return 'asked for the run'
    case 'cancelled':
      return 'cancelled the pipeline that this run compensates'
    case 'invited_account':
      return `invited the service account${named}`
    case 'made_key':
      return `made the key of a service account (${what ?? 'unknown'})`
    case 'set_password':
      return `set the password of the service account${named}`
    case 'wrote_config':
      return `wrote the configuration of${named}`
    case 'wrote_config_preset':
      return `wrote the config preset${named}`
    case 'wrote_input_preset':
      return `wrote the input preset${named}`
    case 'wrote_rule':
      return `wrote the rule${named}`
    case 'wrote_schedule':
      return `wrote the schedule${named}`
    case 'sent_delivery':
      return `sent the delivery${named}`
    case 'gave_inputs':
      return `gave inputs to the step${named}`
    case 'caused_event':
      return `caused the event that ${what?.startsWith('skill ') ? '' : 'the step '}${what ?? ''} received`
    case 'shaped_earlier_run':
      return `shaped the run${named}, whose outcome this run follows from`
  }
}
