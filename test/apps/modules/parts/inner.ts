export const inner = 'inner'
