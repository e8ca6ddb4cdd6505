/** How a run repeats an ended one, as its provenance says it. */
export type Repeat = {
  /** the run that was started again */
  again_of: string
  /** the template of that run, where the present one is another */
  template_before?: { version: string; digest: string }
}
