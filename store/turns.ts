/** Does one piece of work after the other, also after one that failed. */
export function createTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let line: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = line.then(work)
    line = done.catch(() => undefined)
    return done
  }
}
