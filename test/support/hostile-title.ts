import fc from 'fast-check'

/** What a title may trip over: brackets, the separators of tags and fingerprints, letters whose case is special. */
export const hostileTitle = fc.string({
  unit: fc.constantFrom(...'aZ[]{}|%:, 1-', 'Ä', 'ẞ', 'İ', 'e\u0301', '😀', 'P1', 'Recovered'),
})
