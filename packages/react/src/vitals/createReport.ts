import type { LostReason, PageFigureName, Product, VitalsReport } from '@stagepass/contract'
import { VITALS_LIMITS } from '@stagepass/contract'
import type { PageFacts } from './pageFacts.js'

/** The values of one figure, and how many there were. */
interface Sample {
  readonly values: number[]
  seen: number
}

interface ProductSamples {
  readonly figures: Map<PageFigureName, Sample>
  readonly drops: Map<LostReason, number>
}

/** Collects the figures of a page for its next report. */
export function createReport(random: () => number) {
  let products = new Map<Product, ProductSamples>()

  function of(product: Product): ProductSamples {
    const found = products.get(product) ?? { figures: new Map(), drops: new Map() }
    products.set(product, found)
    return found
  }

  return {
    isEmpty: (): boolean => products.size === 0,
    /** If a figure has more values than a report takes, each of them stays with the same probability. */
    add(product: Product, name: PageFigureName, ms: number): void {
      const { figures } = of(product)
      const sample = figures.get(name) ?? { values: [], seen: 0 }
      figures.set(name, sample)
      const { values } = sample
      const place =
        values.length < VITALS_LIMITS.values ? values.length : Math.floor(random() * (sample.seen + 1))
      sample.seen += 1
      if (place < VITALS_LIMITS.values) values[place] = Math.round(ms)
    },
    drop(product: Product, reason: LostReason): void {
      const { drops } = of(product)
      drops.set(reason, (drops.get(reason) ?? 0) + 1)
    },
    /** The report, within its size. The next one begins empty. */
    take(facts: PageFacts): VitalsReport {
      const all = [...products]
      products = new Map()
      const upTo = (most: number): VitalsReport => ({
        ...facts,
        products: Object.fromEntries(
          all.map(([product, { figures, drops }]) => [
            product,
            {
              ...Object.fromEntries([...figures].map(([name, { values }]) => [name, values.slice(0, most)])),
              ...(drops.size > 0 && { drops: Object.fromEntries(drops) }),
            },
          ]),
        ),
      })
      let most: number = VITALS_LIMITS.values
      // Only digits and names of ours, so a letter is a byte.
      while (most > 0 && JSON.stringify(upTo(most)).length > VITALS_LIMITS.bytes) most -= 1
      return upTo(most)
    },
  }
}
