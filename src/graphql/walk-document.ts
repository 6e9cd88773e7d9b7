import { type ASTNode, type ASTVisitFn, type DocumentNode, Kind } from 'graphql';

/** The parts of each kind of node, in the order of `visit`; those that are left out (names, descriptions) concern no rule. */
const PARTS: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  [Kind.DOCUMENT]: ['definitions'],
  [Kind.OPERATION_DEFINITION]: ['variableDefinitions', 'directives', 'selectionSet'],
  [Kind.FRAGMENT_DEFINITION]: ['variableDefinitions', 'typeCondition', 'directives', 'selectionSet'],
  [Kind.VARIABLE_DEFINITION]: ['variable', 'type', 'defaultValue', 'directives'],
  [Kind.SELECTION_SET]: ['selections'],
  [Kind.FIELD]: ['arguments', 'directives', 'selectionSet'],
  [Kind.INLINE_FRAGMENT]: ['typeCondition', 'directives', 'selectionSet'],
  [Kind.FRAGMENT_SPREAD]: ['arguments', 'directives'],
  [Kind.DIRECTIVE]: ['arguments'],
  [Kind.ARGUMENT]: ['value'],
  [Kind.FRAGMENT_ARGUMENT]: ['value'],
  [Kind.LIST]: ['values'],
  [Kind.OBJECT]: ['fields'],
  [Kind.OBJECT_FIELD]: ['value'],
  [Kind.LIST_TYPE]: ['type'],
  [Kind.NON_NULL_TYPE]: ['type'],
};

const NO_PARTS: readonly string[] = [];

/** As `visit` of graphql-js, which makes a table of all kinds of nodes for each document. */
export const walk = (document: DocumentNode, enter: ASTVisitFn<ASTNode>, leave: ASTVisitFn<ASTNode>): void => {
  const path: (string | number)[] = [];
  const ancestors: (ASTNode | readonly ASTNode[])[] = [];

  const visitNode = (
    node: ASTNode,
    key: string | number | undefined,
    parent: ASTNode | readonly ASTNode[] | undefined,
  ): void => {
    if (key !== undefined) path.push(key);
    enter(node, key, parent, path, ancestors);
    if (parent) ancestors.push(parent);
    for (const name of PARTS[node.kind] ?? NO_PARTS) {
      const part = (node as unknown as Readonly<Record<string, ASTNode | readonly ASTNode[] | undefined>>)[name];
      if (part === undefined) continue;
      if ('kind' in part) visitNode(part, name, node);
      else {
        path.push(name);
        ancestors.push(node);
        for (let index = 0; index < part.length; index += 1) visitNode(part[index] as ASTNode, index, part);
        ancestors.pop();
        path.pop();
      }
    }
    if (parent) ancestors.pop();
    leave(node, key, parent, path, ancestors);
    path.pop();
  };

  visitNode(document, undefined, undefined);
};
