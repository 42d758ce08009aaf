/// <reference types="@typescript-to-lua/language-extensions" />
/*
 * What packages/budget/src/core/rules/tables.ts is in Lua. It takes the place of that file when the rules are
 * compiled.
 */
export declare const KeySet: typeof LuaSet
export type KeySet<TKey extends AnyNotNil> = LuaSet<TKey>
export declare const KeyMap: typeof LuaMap
export type KeyMap<TKey extends AnyNotNil, TValue> = LuaMap<TKey, TValue>
/** @customName table.sort */
export declare function sortNumbers(this: void, list: number[]): void
/** @customName table.sort */
export declare function sortBy<TItem>(
  this: void,
  list: TItem[],
  before: (this: void, one: TItem, other: TItem) => boolean,
): void
export declare const forget: LuaTableDelete<Record<string, number>, string>
