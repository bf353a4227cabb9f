export const deep: string
export const first: string
export const own: string
