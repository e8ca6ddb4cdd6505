/** Programs that test files ask for, by their text. */
export function neededBy(texts: readonly string[]): Set<string> {
  const calls = texts.flatMap((text) => [...text.matchAll(/\bneeds\(([^)]*)\)/g)].map(([, names = '']) => names))
  return new Set(calls.flatMap((names) => [...names.matchAll(/'(\w+)'/g)].map(([, name = '']) => name)))
}
