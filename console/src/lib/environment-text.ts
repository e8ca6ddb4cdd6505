/** `production`, `live (production)`: the class is said where the name does not say it. */
export const environmentText = (name: string, environmentClass: string): string =>
  name === environmentClass ? name : `${name} (${environmentClass})`
