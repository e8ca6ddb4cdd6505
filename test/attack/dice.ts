import { seededRandom } from '#test/support/seeded-random.ts'

export type Dice = ReturnType<typeof createDice>

/** Choices that follow from a seed and a number alone, so that one action can be had again without those before it. */
export function createDice(seed: number, nth: number) {
  const random = seededRandom(Math.imul(seed, 0x9e3779b1) ^ Math.imul(nth + 1, 0x85ebca6b))
  const int = (below: number) => Math.floor(random() * below)
  return {
    int,
    chance: (likely: number) => random() < likely,
    pick<Item>(items: readonly Item[]): Item {
      if (items.length === 0) throw new Error('there is nothing to choose from')
      return items[int(items.length)] as Item
    },
    hex: (length: number) => Array.from({ length }, () => int(16).toString(16)).join(''),
    random,
  }
}
