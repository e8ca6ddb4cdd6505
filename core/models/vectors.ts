/** What a model makes of texts. `tokens` is missing where the provider did not say what it took. */
export interface Vectors {
  vectors: number[][]
  tokens?: number
}
