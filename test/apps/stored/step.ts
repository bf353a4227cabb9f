export const step = 2
