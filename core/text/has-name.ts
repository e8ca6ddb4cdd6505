/** Whether a name is among others, in whichever form of Unicode each is written. */
export function hasName(names: readonly string[], name: string): boolean {
  const wanted = name.normalize('NFC')
  return names.some((each) => each.normalize('NFC') === wanted)
}
